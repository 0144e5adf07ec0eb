/** A page that has one thing to say. */

import { Brand } from "./Brand";

export function Notice({ title, text }: { title: string; text: string }) {
  return (
    <main class="notice">
      <Brand />
      {title && <h1>{title}</h1>}
      <p>{text}</p>
    </main>
  );
}
