// The viewer's snippets as JSON.   node list.mjs '{"origin": ..., "seed": ...}'
import { snippets, VERSIONS } from "../../../server/web/src/snippets.js";

process.stdout.write(`${JSON.stringify({ snippets: snippets(JSON.parse(process.argv[2])), versions: VERSIONS })}\n`);
