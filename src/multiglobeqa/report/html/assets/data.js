// Blocks of data: gzip in base64 inside script elements that do not run (see pack.py).

const blocks = new Map();

function bytesOf(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

// The element of a block; blocks after the script are there once the document has been read.
async function elementOf(name) {
  const id = `data-${name}`;
  const found = document.getElementById(id);
  if (found && (document.readyState !== "loading" || found.nextSibling)) return found;
  if (document.readyState === "loading") {
    await new Promise((done) => document.addEventListener("DOMContentLoaded", done, { once: true }));
  }
  const late = document.getElementById(id);
  if (!late) throw new Error(`The page has no block ${name}.`);
  return late;
}

async function unpack(name) {
  const element = await elementOf(name);
  const packed = new Blob([bytesOf(element.textContent)]);
  const stream = packed.stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

// A block of JSON; each is opened once and kept.
function json(name) {
  if (!blocks.has(name)) {
    blocks.set(name, unpack(name).then((buffer) => JSON.parse(new TextDecoder().decode(buffer))));
  }
  return blocks.get(name);
}

const ARRAYS = { uint8: Uint8Array, uint16: Uint16Array, uint32: Uint32Array, int32: Int32Array, float32: Float32Array };

// A frame: { head, columns: name -> typed array }.
function frame(name) {
  if (!blocks.has(name)) {
    blocks.set(name, unpack(name).then((buffer) => {
      const length = new DataView(buffer).getUint32(0, true);
      const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
      const columns = {};
      for (const [column, kind, at, size] of head.columns) {
        columns[column] = new ARRAYS[kind](buffer, 4 + length + at, size);
      }
      return { head, columns };
    }));
  }
  return blocks.get(name);
}
