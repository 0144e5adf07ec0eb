/** Light or dark: as the system says, until somebody says otherwise. */

import { useEffect, useState } from "preact/hooks";

const KEY = "tokengeist.theme";
type Theme = "light" | "dark";

function stored(): Theme | null {
  try {
    const value = localStorage.getItem(KEY);
    return value === "light" || value === "dark" ? value : null;
  } catch {
    return null; // a page from disk may have no storage
  }
}

export function ThemeSwitch() {
  const [theme, setTheme] = useState<Theme>(
    () => stored() ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"),
  );
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
  }, [theme]);
  const other = theme === "dark" ? "light" : "dark";
  return (
    <button
      type="button"
      class="quiet icon"
      aria-label={`Use the ${other} theme`}
      title={`Use the ${other} theme`}
      onClick={() => {
        setTheme(other);
        try {
          localStorage.setItem(KEY, other);
        } catch {
          // Then the choice lasts as long as the page does.
        }
      }}
    >
      <span aria-hidden="true">{theme === "dark" ? "☀" : "☾"}</span>
    </button>
  );
}
