// What the Khronos validator says of .glb files: one line of JSON, a report for each.
//
//   node validate.mjs NODE-MODULES URL...
import { createRequire } from "node:module";
import path from "node:path";

const [modules, ...urls] = process.argv.slice(2);
const validator = createRequire(path.resolve(modules, "x.js"))("gltf-validator");

const reports = await Promise.all(urls.map(async (url) => {
    const answer = await fetch(url);
    if (!answer.ok) throw new Error(`${url}: status ${answer.status}`);
    return validator.validateBytes(new Uint8Array(await answer.arrayBuffer()), { uri: url, format: "glb", maxIssues: 20 });
}));
process.stdout.write(`${JSON.stringify(reports)}\n`);
