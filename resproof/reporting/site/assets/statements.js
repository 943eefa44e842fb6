// Filters over the list of all statements: a row stays that has the chosen paper, the chosen verdict or mark, and every
// word typed. The choice stands in the address behind #, so that a filtered list can be kept as a link.
"use strict";
{
  const form = document.getElementById("filters");
  const table = document.querySelector("article table");
  const rows = [...table.tBodies[0].rows];
  const column = name => [...table.tHead.rows[0].cells].findIndex(cell => cell.textContent === name);
  const [paper, verdict] = [column("paper"), column("verdict")];
  const values = {
    paper: row => [row.cells[paper].textContent],
    verdict: row => row.cells[verdict].textContent.replace(/ \(.*\)/, "").split(", "),
  };
  const inputs = [...form.querySelectorAll("select, input")];

  for (const [name, value] of Object.entries(values)) {
    const options = [...new Set(rows.flatMap(value))];
    form.querySelector(`[name=${name}]`).append(new Option("all", ""), ...options.map(each => new Option(each)));
  }

  const filter = () => {
    const chosen = Object.fromEntries(inputs.map(input => [input.name, input.value]));
    const words = chosen.words.toLowerCase().replaceAll("-", "\u2011").split(/\s+/);
    let left = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase().replaceAll("-", "\u2011");
      const stays = Object.entries(values).every(([name, value]) => !chosen[name] || value(row).includes(chosen[name]))
        && words.every(word => text.includes(word));
      row.hidden = !stays;
      left += stays;
    }
    form.querySelector("output").textContent = `${left} of ${rows.length}`;
    return chosen;
  };

  const asked = new URLSearchParams(location.hash.slice(1));
  for (const input of inputs) input.value = asked.get(input.name) ?? "";
  form.addEventListener("input", () => history.replaceState(null, "", `#${new URLSearchParams(filter())}`));
  filter();
  form.hidden = false;
}
