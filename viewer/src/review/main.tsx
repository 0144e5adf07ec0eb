/** Where the review page starts. */

import { render } from "preact";
import { ReviewApp } from "./ReviewApp";
import "../styles/theme.css";
import "../styles/frame.css";
import "../styles/conversation.css";
import "../styles/graph.css";
import "../styles/small.css";
import "./review.css";

const data = document.getElementById("tokengeist-data");
const root = document.getElementById("tokengeist");
if (data?.textContent && root) {
  const page = JSON.parse(data.textContent) as { reviewer: string };
  render(<ReviewApp reviewer={page.reviewer} />, root);
}
