// Elements, numbers and short words. Texts from questions and replies only ever become text nodes.

const SVG = "http://www.w3.org/2000/svg";
const $ = (id) => document.getElementById(id);

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined && child !== false) node.append(child);
  }
  return node;
}

const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
const count = (value) => value.toLocaleString("en-US");

function percent(share) {
  if (share === null || share === undefined || Number.isNaN(share)) return "–";
  if (share > 0 && share < 1) return `${Math.min(99.9, Math.max(0.1, 100 * share)).toFixed(1)} %`;
  return `${(100 * share).toFixed(0)} %`;
}

const step = (share) => Math.min(4, Math.floor(share * 5));

// How an answer ended, by code: name, mark and colour class. A mark tells apart what colour does too.
const OUTCOMES = [
  ["right", "✓", "right"],
  ["wrong answer", "✗", "wrong"],
  ["refused", "○", "refused"],
  ["no readable answer", "?", "other"],
  ["no reply", "–", "other"],
  ["false premise refused", "✓", "right"],
  ["false premise answered", "✗", "wrong"],
  ["not asked", "·", "other"],
];

const mark = (outcome) => el("span", { class: `mark ${OUTCOMES[outcome][2]}` }, OUTCOMES[outcome][1]);

// ISO 639-3 codes to tags that browsers know, for fonts and hyphens.
const TAGS = {
  eng: "en", sqi: "sq", bul: "bg", zho: "zh", fra: "fr", kat: "ka", deu: "de", ell: "el", ita: "it", jpn: "ja", por: "pt",
  ron: "ro", rus: "ru", spa: "es", tur: "tr", urd: "ur", vie: "vi",
};
const tag = (language) => TAGS[language] || language || null;
