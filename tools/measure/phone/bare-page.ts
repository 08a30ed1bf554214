import type { PublicMemorialView } from '../../../src/shared/memorials/memorials.ts'

const STYLE = `body{margin:0 auto;max-width:40rem;padding:0 1rem;font:1.0625rem/1.6 Georgia,serif;color:#1f1b16;background:#fbf9f5}
img{max-width:100%;height:auto;background:#eee9df}h1{font-size:2rem;line-height:1.15}ul{list-style:none;padding:0}
.photos{display:grid;grid-template-columns:repeat(3,1fr);gap:.25rem}.photos img{aspect-ratio:1;object-fit:cover;width:100%}`

const escaped = (text: string | null) =>
  (text ?? '').replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

/** A minimal page with the same content as the memorial's page: no script, no font, one inline style sheet. */
export function barePage({ memorial, funeralEvents, media, comments }: PublicMemorialView): string {
  const name = escaped(memorial.honoureeFullName)
  const services = funeralEvents.map(
    (service) =>
      `<li><b>${escaped(service.title)}</b><br>${escaped(service.venueName)}, ${escaped(service.city)}`,
  )
  const photos = media
    .filter(({ type, id }) => type === 'IMAGE' && id !== memorial.profileMediaId)
    .slice(0, 12)
    .map(
      ({ id, alt }) =>
        `<li><a href="/media/stream/${id}"><img loading="lazy" width="320" height="320" alt="${escaped(alt)}" src="/media/stream/${id}?w=320"></a>`,
    )
  const messages = comments.map(
    ({ body, authorName }) => `<li><p>${escaped(body)}</p><p>${escaped(authorName)}</p>`,
  )
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${name}</title><style>${STYLE}</style></head><body><main>
<img fetchpriority="high" width="640" height="800" alt="${name}" src="/media/stream/${memorial.profileMediaId}?w=640">
<h1>${name}</h1><p>${memorial.dateOfBirth} – ${memorial.dateOfDeath}</p><p>${escaped(memorial.title)}</p>
<ul>${services.join('')}</ul>${memorial.lifeStory ?? ''}
<h2>Photos</h2><ul class="photos">${photos.join('')}</ul><h2>Messages</h2><ul>${messages.join('')}</ul></main></body></html>`
}
