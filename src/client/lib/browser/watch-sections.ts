/**
 * Reports which of these elements (by id, in page order) is the first in the upper part of the window, whenever that
 * changes; the first of all if none is. Returns a function that stops it.
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
