/** A role as a letter in a shape of its own. */

import type { Role } from "../lib/wire";

const LETTERS: Record<Role, string> = { system: "S", user: "U", assistant: "A", tool: "T" };

export function RoleBadge({ role }: { role: Role }) {
  return (
    <span class={`badge ${role}`} aria-hidden="true">
      {LETTERS[role]}
    </span>
  );
}
