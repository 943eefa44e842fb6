"""Ways to offer a claim: exact Hessians by both symbolic routes, the running network, certificates, predicates."""
