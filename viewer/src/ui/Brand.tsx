/** The name, with its ghost. */

export function Brand({ href }: { href?: string }) {
  const inside = (
    <>
      <svg viewBox="0 0 20 22" aria-hidden="true">
        <path d="M10,1 C4.8,1 2,4.8 2,9.5 V20 L5,17.6 L7.5,20.4 L10,17.6 L12.5,20.4 L15,17.6 L18,20 V9.5 C18,4.8 15.2,1 10,1 z" />
        <circle cx="7.2" cy="9" r="1.5" />
        <circle cx="12.8" cy="9" r="1.5" />
      </svg>
      <span>Tokengeist</span>
    </>
  );
  return href === undefined ? (
    <span class="brand">{inside}</span>
  ) : (
    <a class="brand" href={href} aria-label="Tokengeist, all conversations">
      {inside}
    </a>
  );
}
