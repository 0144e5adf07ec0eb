/** Builds the page into the package: a script and a style sheet for each of the two. `--tests`: the unit tests. */

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const out = join(here, "../src/tokengeist/server/static");

/** The same digest as `tokengeist.server.bundle.sources_digest`. */
function digest() {
  const hash = createHash("sha256");
  const files = readdirSync(join(here, "src"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(here.length));
  for (const file of [...files, "package-lock.json", "build.mjs"].sort()) {
    hash
      .update(`${file}\n`)
      .update(readFileSync(join(here, file)))
      .update("\n");
  }
  return hash.digest("hex");
}

const common = { bundle: true, absWorkingDir: here, jsx: "automatic", jsxImportSource: "preact" };

if (process.argv.includes("--tests")) {
  await build({
    ...common,
    entryPoints: readdirSync(join(here, "test"))
      .filter((name) => name.endsWith(".test.ts"))
      .map((name) => `test/${name}`),
    outdir: ".tests",
    outExtension: { ".js": ".mjs" },
    platform: "node",
    format: "esm",
  });
} else {
  await build({
    ...common,
    entryPoints: { app: "src/main.tsx", review: "src/review/main.tsx" },
    outdir: out,
    minify: true,
    format: "iife",
    target: ["chrome111", "firefox115", "safari16.4"],
    charset: "utf8",
    legalComments: "none",
    define: { "process.env.NODE_ENV": '"production"' },
  });
  const licences = ["preact", "@dagrejs/dagre", "@dagrejs/graphlib"].map(
    (name) => `${name}\n\n${readFileSync(join(here, "node_modules", name, "LICENSE"), "utf8")}`,
  );
  writeFileSync(join(out, "LICENSES.txt"), licences.join("\n\n"));
  writeFileSync(join(out, "sources.sha256"), `${digest()}\n`);
}
