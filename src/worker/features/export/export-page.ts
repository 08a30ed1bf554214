import { formatCalendarDate } from '#shared/dates.ts'
import { formatLifeDates } from '#shared/memorials/life-dates.ts'
import { initialsOf, documentTitle, memorialTitle } from '#shared/pages/page-titles.ts'
import { isUpcoming } from '#shared/funeral/gatherings.ts'
import { toFuneralEvent } from '#worker/features/funeral/funeral.ts'
import { SITE_NAME } from '#shared/site-name.ts'
import { archiveAddress } from '#worker/features/export/archive.ts'
import { escapeLines } from '#worker/platform/escape.ts'
import { photoItem, recordingItem, serviceCard, storyHtml } from '#worker/features/export/page-parts.ts'
import { PAGE_STYLE } from '#worker/features/export/page-style.ts'
import type { Snapshot } from '#worker/features/export/snapshot.ts'

/** Runs no scripts and loads only images and recordings. It names no origin, because a file on disk has none. */
const POLICY =
  "script-src 'none'; object-src 'none'; frame-src 'none'; connect-src 'none'; font-src 'none'; base-uri 'none'; form-action 'none'"

/** Generates `index.html`: no scripts, no external URLs but the story's links, and all user text escaped. */
export async function* exportPage(snapshot: Snapshot): AsyncGenerator<string> {
  const { archive, story, exportedAt } = snapshot
  const { memorial, location } = archive
  const newestFirst = archive.media.toReversed()
  const photos = newestFirst.filter(({ row }) => row.type === 'IMAGE' && row.id !== memorial.profileMediaId)
  const videos = newestFirst.filter(({ row }) => row.type === 'VIDEO')
  const recordings = newestFirst.filter(({ row }) => row.type === 'AUDIO')
  const hasGallery = photos.length + videos.length + recordings.length > 0
  const isAhead = archive.services.some(({ row }) => isUpcoming(toFuneralEvent(row), exportedAt))
  const funeral =
    archive.services.length === 0
      ? ''
      : section(
          'funeral',
          'Funeral Details',
          archive.services.map((service) => serviceCard(snapshot, service)).join(''),
        )

  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>${escapeLines(documentTitle(memorialTitle(memorial)))}</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<div class="page">
`
  yield partNotice(snapshot)
  yield `<header>${hero(snapshot)}</header>\n`
  yield jumpBar([
    ['story', 'Life Story', story !== null],
    ['photos', 'Gallery', hasGallery],
    ['funeral', 'Funeral', funeral !== ''],
    ['messages', 'Guestbook', true],
  ])
  yield '<main>\n'
  if (isAhead) yield funeral
  if (story)
    yield section('story', 'Life Story', `<div class="story" dir="auto">${storyHtml(story.nodes)}</div>`)
  if (!isAhead) yield funeral
  if (hasGallery) {
    yield `<section id="photos" aria-labelledby="photos-title">\n<h2 id="photos-title">Gallery</h2>\n`
    if (photos.length > 0) {
      yield '<ul class="grid">\n'
      for (const photo of photos) yield photoItem(snapshot, photo)
      yield '</ul>\n'
    }
    if (videos.length > 0) yield '<h3>Videos</h3>\n'
    for (const video of videos) yield recordingItem(snapshot, video)
    if (recordings.length > 0) yield '<h3>Voices</h3>\n'
    for (const recording of recordings) yield recordingItem(snapshot, recording)
    yield '</section>\n'
  }
  yield* guestbook(snapshot)
  if (location) yield section('location', 'Location', locationCard(location))
  yield `</main>
<footer><p>This copy was made on ${dateOf(exportedAt)} from ${SITE_NAME}. It holds what the memorial held then. The same is in memorial.json, for other programs.</p>
<p>Address of the memorial: ${escapeLines(snapshot.publicLink)}</p></footer>
</div>
</body>
</html>
`
}

function section(id: string, title: string, content: string): string {
  return `<section id="${id}" aria-labelledby="${id}-title">\n<h2 id="${id}-title">${title}</h2>\n${content}</section>\n`
}

function partNotice({ part, partCount }: Snapshot): string {
  if (partCount === 1) return ''
  return `<div class="notice"><p>This is part ${part} of ${partCount}. Unpack all parts into the same folder: then every photo and recording is here.</p></div>\n`
}

function hero({ archive, fileOf }: Snapshot): string {
  const { memorial } = archive
  const name = escapeLines(memorial.honoureeFullName)
  const id = memorial.profileMediaId ?? memorial.coverMediaId
  const portrait = archive.media.find(({ row }) => row.id === id)
  const file = portrait ? fileOf(portrait.file) : null
  const dates = formatLifeDates(memorial)
  return [
    '<div class="hero">',
    file === null
      ? `<div class="portrait initials" aria-hidden="true">${escapeLines(initialsOf(memorial.honoureeFullName))}</div>`
      : `<img class="portrait" src="${escapeLines(archiveAddress(file))}" alt="Portrait of ${name}">`,
    `<div><h1 dir="auto">${name}</h1>`,
    dates === null ? '' : `<p class="dates">${escapeLines(dates)}</p>`,
    memorial.title === null ? '' : `<p class="sentence" dir="auto">“${escapeLines(memorial.title)}”</p>`,
    '<hr class="rule"></div></div>',
  ].join('')
}

function jumpBar(targets: [id: string, label: string, isShown: boolean][]): string {
  const links = targets.flatMap(([id, label, isShown]) => (isShown ? [`<a href="#${id}">${label}</a>`] : []))
  return links.length < 3 ? '' : `<nav aria-label="On this page">${links.join('')}</nav>\n`
}

async function* guestbook({ messages }: Snapshot): AsyncGenerator<string> {
  yield '<section id="messages" aria-labelledby="messages-title">\n<h2 id="messages-title">Guestbook</h2>\n'
  let isEmpty = true
  for await (const page of messages()) {
    if (isEmpty) yield '<ol class="messages">\n'
    isEmpty = false
    yield page
      .map(
        ({ body, writtenBy, relation, isOwner, createdAt }) =>
          `<li><p class="lines" dir="auto">${escapeLines(body)}</p><p class="meta"><bdi class="author">${escapeLines(writtenBy)}</bdi>${relation === null ? '' : `, <bdi>${escapeLines(relation)}</bdi>`}${isOwner ? ' · Memorial Owner <span class="family">Family</span>' : ''} · <time datetime="${createdAt}">${formatCalendarDate(createdAt.slice(0, 10))}</time></p></li>\n`,
      )
      .join('')
  }
  yield isEmpty ? '<p class="meta">No messages yet.</p>\n' : '</ol>\n'
  yield '</section>\n'
}

function locationCard(location: NonNullable<Snapshot['archive']['location']>): string {
  const label =
    location.label === null ? '' : `<p class="strong" dir="auto">${escapeLines(location.label)}</p>`
  return `<div class="card">${label}<p>${location.latitude}, ${location.longitude}</p></div>\n`
}

function dateOf(at: number): string {
  return formatCalendarDate(new Date(at).toISOString().slice(0, 10))
}
