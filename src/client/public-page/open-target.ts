/** Opens what unfolds where the address points at it (`#privacy`): the browser itself only scrolls there. */
export function openTarget(): void {
  const open = () => {
    const target = document.getElementById(window.location.hash.slice(1))
    if (target instanceof HTMLDetailsElement) target.open = true
  }
  window.addEventListener('hashchange', open)
  open()
}
