// Reads Mermaid charts as a host would: a line for each file of the command line, "ok" and the texts of its nodes, or
// what is wrong with it.
import { readFileSync } from "node:fs";
import { JSDOM } from "jsdom";

const page = new JSDOM("<body></body>");
globalThis.window = page.window;
globalThis.document = page.window.document;
const { default: mermaid } = await import("mermaid");

for (const file of process.argv.slice(2)) {
  try {
    const text = readFileSync(file, "utf8");
    await mermaid.parse(text);
    const diagram = await mermaid.mermaidAPI.getDiagramFromText(text);
    const nodes = [...diagram.db.getVertices().values()].map((v) => v.text);
    console.log(JSON.stringify({ ok: true, nodes, edges: diagram.db.getEdges().length }));
  } catch (error) {
    console.log(JSON.stringify({ ok: false, why: String(error).slice(0, 200) }));
  }
}
