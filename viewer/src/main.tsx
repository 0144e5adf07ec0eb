/** Where the page starts: its data say whether it is a file or has a server behind it. */

import { render } from "preact";
import type { Page } from "./lib/wire";
import { FileApp } from "./ui/FileApp";
import { ServerApp } from "./ui/ServerApp";
import "./styles/main.css";

const data = document.getElementById("tokengeist-data");
const root = document.getElementById("tokengeist");
if (data?.textContent && root) {
  const page = JSON.parse(data.textContent) as Page;
  render(page.mode === "file" ? <FileApp page={page} /> : <ServerApp />, root);
}
