import { eq } from 'drizzle-orm'
import { defaultTreeAdapter, parse, type DefaultTreeAdapterTypes } from 'parse5'
import { expect, test } from 'vitest'
import { memorialExport } from '#shared/export.ts'
import { STORY_ELEMENTS } from '#shared/memorials/story.ts'
import { contributors } from '#worker/schema/invites.table.ts'
import { locations, memorials } from '#worker/schema/memorials.table.ts'
import { funeralEvents } from '#worker/schema/funeral.table.ts'
import { media } from '#worker/schema/media.table.ts'
import { LIFE_STORY_VERSION, readStoryTree } from '#worker/features/memorials/life-story.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { storyHtml } from '#worker/features/export/page-parts.ts'
import { newId } from '#worker/platform/random.ts'
import { download, memorialToExport } from '../../../../test/worker/exported.ts'
import { testCtx } from '../../../../test/worker/harness.ts'
import { NAUGHTY_STRINGS, XSS_VECTORS } from '../../../../test/xss-vectors.ts'
import { changeRows } from '../../../../test/worker/rows.ts'

type Element = DefaultTreeAdapterTypes.Element

/** Every element of a document as a browser parses it, including those in templates. */
function elementsOf(html: string): Element[] {
  const found: Element[] = []
  const pending: DefaultTreeAdapterTypes.ParentNode[] = [parse(html, { scriptingEnabled: false })]
  for (let node = pending.pop(); node; node = pending.pop()) {
    if (defaultTreeAdapter.isElementNode(node)) found.push(node)
    if (node.nodeName === 'template') pending.push((node as DefaultTreeAdapterTypes.Template).content)
    for (const child of node.childNodes) if ('childNodes' in child) pending.push(child)
  }
  return found
}

const ALLOWED: ReadonlySet<string> = new Set(
  `html head body meta title style div header main footer nav section article h1 hr img video audio span bdi time`
    .split(' ')
    .concat(STORY_ELEMENTS),
)
const ADDRESS_ATTRIBUTES = new Set('src href poster srcset action data formaction ping'.split(' '))
const INSIDE = /^(?:#[a-z]+|(?:photos|videos|recordings|programmes)\/\d{3}[^/:]*)$/u

/** Returns unexpected elements and attributes, and URLs that lead out of the archive. */
function problemsOf(html: string): string[] {
  return elementsOf(html).flatMap((element) => {
    const { tagName, attrs } = element
    const unexpected = ALLOWED.has(tagName) ? [] : [`<${tagName}>`]
    return unexpected.concat(
      attrs.flatMap(({ name, value }) => {
        if (/^on|^style$|^srcdoc$/iu.test(name)) return [`${tagName} ${name}`]
        if (!ADDRESS_ATTRIBUTES.has(name)) return []
        const isStoryLink = tagName === 'a' && /^(?:https?:\/\/|mailto:)/iu.test(value)
        return isStoryLink || INSIDE.test(value) ? [] : [`${tagName} ${name}=${value.slice(0, 40)}`]
      }),
    )
  })
}

const STEP = 200

test('no user text becomes an element, attribute or URL of the page', async () => {
  const { owner, memorial, relative } = await memorialToExport()
  const { db } = testCtx()
  const vectors = [...XSS_VECTORS, ...NAUGHTY_STRINGS.filter((text) => text.includes('<'))]
  // Written directly to the database, as if no schema or sanitiser had checked them.
  const vectorAt = (n: number) => vectors[n % vectors.length] ?? ''
  const ofMemorial = eq(media.memorialId, memorial.id)
  const mediaItems = await db.select({ id: media.id }).from(media).where(ofMemorial)
  let lastPage = ''
  for (let n = 0; n < vectors.length; n += STEP) {
    const breakOut = `"'><script>alert(1)</script><img src=x onerror=alert(1)>`
    await db
      .update(memorials)
      .set({
        honoureeFullName: vectorAt(n),
        title: vectorAt(n + 1) + breakOut,
        lifeStory: vectors.slice(n, n + 3).join('\n'),
        lifeStoryVersion: LIFE_STORY_VERSION,
      })
      .where(eq(memorials.id, memorial.id))
    for (const [index, { id }] of mediaItems.entries()) {
      const typed = {
        caption: vectorAt(n + index) + breakOut,
        alt: vectorAt(n + 5 + index),
        originalFileName: vectorAt(n + 9),
      }
      await db.update(media).set(typed).where(eq(media.id, id))
    }
    await db
      .update(funeralEvents)
      .set({
        title: vectorAt(n + 2),
        venueName: vectorAt(n + 3),
        notes: vectorAt(n + 4) + breakOut,
        programmeName: vectorAt(n),
      })
      .where(eq(funeralEvents.memorialId, memorial.id))
    await changeRows(locations, { memorialId: memorial.id }, { label: vectorAt(n + 6) })
    await changeRows(
      contributors,
      { id: relative.session.contributorId },
      { displayName: vectorAt(n + 7) + breakOut },
    )
    const authorContributorId = relative.session.contributorId
    for (let at = n; at < n + STEP; at += 12) {
      const rows = vectors.slice(at, Math.min(at + 12, n + STEP)).map((body) => {
        return { id: newId('comment'), memorialId: memorial.id, body, authorContributorId, createdAt: n }
      })
      if (rows.length > 0) await db.insert(comments).values(rows)
    }
    const { text } = await download(owner, memorial.id)
    expect(problemsOf(text('index.html'))).toEqual([])
    memorialExport.parse(JSON.parse(text('memorial.json')))
    lastPage = text('index.html')
  }
  expect(lastPage.match(/&lt;/gu)?.length).toBeGreaterThan(vectors.length)
})

test('an unsanitised story adds no element outside the allow-list', () => {
  const problems = XSS_VECTORS.flatMap((vector) => problemsOf(storyHtml(readStoryTree(vector))))
  expect(problems).toEqual([])
})

test('the page shows everything in the order of the memorial page', async () => {
  const { owner, memorial } = await memorialToExport()
  const { text } = await download(owner, memorial.id)
  const page = text('index.html')
  const order = [
    '<h1 dir="auto">Tendai Móyo</h1>',
    '<p class="dates">Born about 1931</p>',
    '“Our mother”',
    '<div class="story" dir="auto"><p>Born in <strong>Mutare</strong>.</p><p>A teacher.</p></div>',
    'Saturday 6 June 2026, 10:00, Harare time',
    'href="programmes/001%20Order%20of%20service.pdf"',
    'src="photos/001%20At%20the%20table.jpg"',
    'src="videos/001%20wedding.mp4"',
    'src="recordings/001%20voice.wav"',
    'Rest well\nMama',
    'Warren Hills',
  ].map((part) => page.indexOf(part))
  expect(order).not.toContain(-1)
  expect(order).toEqual(order.toSorted((a, b) => a - b))
  expect(page).not.toContain('<script')
})
