// A browser refuses to start a worker from a file: the search then runs in a hidden frame, which answers like a worker.
"use strict";
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    #frame = document.createElement("iframe");
    #waiting = [];

    constructor(url) {
      super();
      this.#frame.hidden = true;
      document.body.append(this.#frame);
      this.#frame.contentWindow.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }));
      const script = this.#frame.contentDocument.createElement("script");
      script.src = url;
      script.onload = () => {
        const waiting = this.#waiting;
        this.#waiting = null;
        for (const data of waiting) this.postMessage(data);
      };
      this.#frame.contentDocument.body.append(script);
    }

    postMessage(data) {
      if (this.#waiting) this.#waiting.push(data);
      else this.#frame.contentWindow.dispatchEvent(new MessageEvent("message", { data }));
    }
  };
}
