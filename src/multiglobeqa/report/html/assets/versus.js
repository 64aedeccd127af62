// Two passes against each other: how many questions each alone answers right, and the way to them.

class Versus {
  constructor(data) {
    this.data = data;
    const { passes } = data.core.head;
    const controls = $("versus-controls");
    if (!controls || passes.length < 2) return;
    for (const [id, chosen] of [["versus-a", 0], ["versus-b", 1]]) {
      $(id).append(...passes.map((pass, at) => el("option", { value: at, selected: at === chosen }, pass.label)));
    }
    controls.addEventListener("change", () => this.show());
    controls.hidden = false;
    this.show();
  }

  show() {
    const { core, outcomes } = this.data;
    const a = Number($("versus-a").value), b = Number($("versus-b").value);
    const counts = [[0, 0], [0, 0]];
    for (let i = 0; i < core.head.size; i++) {
      if (!core.columns.premise[i] || outcomes[a][i] === NOT_ASKED || outcomes[b][i] === NOT_ASKED) continue;
      counts[outcomes[a][i] === RIGHT ? 0 : 1][outcomes[b][i] === RIGHT ? 0 : 1]++;
    }
    const link = (n, first, second) => el("a", { href: `#questions/pass=${a}&outcome=${first}&other=${b}&otherOutcome=${second}&premise=1` }, n);
    const named = (at) => el("bdi", {}, core.head.passes[at].label);
    const row = (at, first) => el("tr", {}, el("th", { scope: "row" }, named(a), first === RIGHT ? " right" : " not right"), ...[0, 1].map((column) => el("td", {}, count(counts[at][column]))));
    const kinds = [[RIGHT, WRONG], [RIGHT, REFUSED], [RIGHT, UNREADABLE], [RIGHT, NO_REPLY], [WRONG, RIGHT], [REFUSED, RIGHT], [UNREADABLE, RIGHT], [NO_REPLY, RIGHT]];
    const items = kinds.map(([first, second]) => {
      const found = matching(core, outcomes, { premise: 1, pass: a, outcome: first, other: b, otherOutcome: second }, []);
      if (!found.length) return null;
      return el("li", {}, link(count(found.length), first, second), " ", named(a), ` ${OUTCOMES[first][0]}, `, named(b), ` ${OUTCOMES[second][0]}`);
    });
    $("versus").replaceChildren(
      el("div", { class: "scroll" }, el("table", { class: "square" },
        el("thead", {}, el("tr", {}, el("td", {}), el("th", { scope: "col" }, named(b), " right"), el("th", { scope: "col" }, named(b), " not right"))),
        el("tbody", {}, row(0, RIGHT), row(1, WRONG)))),
      el("ul", {}, ...items),
    );
  }
}
