// Which items a filter keeps: one pass over typed arrays, nothing of the page.

const RIGHT = 0, WRONG = 1, REFUSED = 2, UNREADABLE = 3, NO_REPLY = 4, PREMISE_REFUSED = 5, PREMISE_ANSWERED = 6, NOT_ASKED = 7;

// (n,) the outcome of each item for one pass.
function outcomesOf(core, settings, pass) {
  const { columns, head } = core;
  const status = columns[`status${pass}`], em = columns[`em${pass}`], premise = columns.premise;
  const answered = head.statuses.indexOf("answered");
  const declined = head.statuses.indexOf("declined");
  const missing = head.statuses.indexOf("missing");
  const outcomes = new Uint8Array(head.size);
  for (let i = 0; i < head.size; i++) {
    const ended = status[i];
    if (ended === settings.not_asked) outcomes[i] = NOT_ASKED;
    else if (ended === missing) outcomes[i] = NO_REPLY;
    else if (ended === answered) outcomes[i] = premise[i] ? (em[i] ? RIGHT : WRONG) : PREMISE_ANSWERED;
    else if (ended === declined) outcomes[i] = premise[i] ? REFUSED : PREMISE_REFUSED;
    else outcomes[i] = UNREADABLE;
  }
  return outcomes;
}

// The places of the items that satisfy every part of the filter.
//   fields: column -> code; premise: 0 or 1; pass, outcome, status, diagnosis; other, otherOutcome: a second pass;
//   only: a set of places; words: lower-case text that `texts[i]` must contain.
function matching(core, outcomes, filter, texts) {
  const { columns, head } = core;
  const tests = [];
  for (const [name, code] of Object.entries(filter.fields || {})) tests.push([columns[name], code]);
  if (filter.premise !== undefined) tests.push([columns.premise, filter.premise]);
  if (filter.outcome !== undefined) tests.push([outcomes[filter.pass], filter.outcome]);
  if (filter.status !== undefined) tests.push([columns[`status${filter.pass}`], filter.status]);
  if (filter.diagnosis !== undefined) tests.push([columns[`diagnosis${filter.pass}`], filter.diagnosis]);
  if (filter.otherOutcome !== undefined) tests.push([outcomes[filter.other], filter.otherOutcome]);
  const found = new Uint32Array(head.size);
  let size = 0;
  next: for (let i = 0; i < head.size; i++) {
    for (const [column, wanted] of tests) if (column[i] !== wanted) continue next;
    if (filter.only && !filter.only.has(i)) continue;
    if (filter.words && !(texts[i] || "").includes(filter.words)) continue;
    found[size++] = i;
  }
  return found.subarray(0, size);
}

// Of the given items: right answers and true-premise questions asked.
function tally(core, outcomes, places) {
  let right = 0, asked = 0;
  const premise = core.columns.premise;
  for (const i of places) {
    if (!premise[i] || outcomes[i] === NOT_ASKED) continue;
    asked++;
    if (outcomes[i] === RIGHT) right++;
  }
  return { right, asked };
}
