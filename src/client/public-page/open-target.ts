/** Opens a `<details>` element that the address points at (`#privacy`): browsers only scroll to it. */
export function openTarget(): void {
  const open = () => {
    const target = document.getElementById(window.location.hash.slice(1))
    if (target instanceof HTMLDetailsElement) target.open = true
  }
  window.addEventListener('hashchange', open)
  open()
}
