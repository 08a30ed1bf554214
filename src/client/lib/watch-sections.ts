/**
 * Tells which of these elements (by id, in the order of the page) stands first in the upper part of the window, whenever that
 * changes: before any does, the first of all. Returns how to end it.
 */
export function watchSections(ids: readonly string[], onFirst: (id: string | undefined) => void): () => void {
  const inView = new Set<string>()
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) inView.add(target.id)
        else inView.delete(target.id)
      }
      onFirst(ids.find((id) => inView.has(id)) ?? ids[0])
    },
    { rootMargin: '-64px 0px -55% 0px' },
  )
  for (const id of ids) {
    const section = document.getElementById(id)
    if (section) observer.observe(section)
  }
  return () => observer.disconnect()
}
