import type { Browser, BrowserContext, BrowserContextOptions, Page } from '@playwright/test'
import { XSS_VECTORS } from '../test/xss-vectors.ts'

/** Closes every element that a vector may leave open, so that it does not swallow the next vector. */
const CLOSED = `--></script></style></title></textarea></noscript></template></xmp></iframe></noembed></noframes></select></svg></math></table>`

/** Every eighth vector; all with EXHAUSTIVE=1. The unit tests of the sanitizer run all of them every time. */
const VECTORS = XSS_VECTORS.filter((_, index) => process.env['EXHAUSTIVE'] === '1' || index % 8 === 0)

/** The vectors, in stories of `size` vectors each. Vectors that nothing can close have a story of their own. */
export function hostileStories(size: number): string[] {
  const isEndless = (vector: string) => /<plaintext|<frameset/iu.test(vector)
  const endless = VECTORS.filter(isEndless)
  const others = VECTORS.filter((vector) => !isEndless(vector))
  const stories = Array.from({ length: Math.ceil(others.length / size) }, (_, index) =>
    others.slice(index * size, (index + 1) * size).join(CLOSED),
  )
  return [...stories, ...endless]
}

type Observed = { dialogs: string[]; foreign: string[]; ran: string[] }

/** Records every dialog, every request to another origin, and every call of `alert` and similar functions. */
async function watch(context: BrowserContext, origin: string): Promise<Observed> {
  const seen: Observed = { dialogs: [], foreign: [], ran: [] }
  await context.exposeBinding('noteRun', (_source, what: string) => void seen.ran.push(what))
  await context.addInitScript(() => {
    const note = (what: string) =>
      (globalThis as unknown as { noteRun: (what: string) => void }).noteRun(what)
    for (const name of ['alert', 'confirm', 'prompt', 'print', 'open'] as const) {
      Object.defineProperty(globalThis, name, { value: () => note(name) })
    }
    addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
      note(`policy: ${violatedDirective} ${blockedURI} ${sample}`),
    )
  })
  context.on('dialog', (dialog) => {
    seen.dialogs.push(dialog.message())
    void dialog.dismiss()
  })
  context.on('request', (request) => {
    const url = request.url()
    if (!/^(?:data|blob|about):/u.test(url) && new URL(url).origin !== origin) seen.foreign.push(url)
  })
  return seen
}

/** A page in a new browser context, and what `watch` records there. */
export async function watchedPage(browser: Browser, origin: string, options?: BrowserContextOptions) {
  const context = await browser.newContext(options)
  const seen = await watch(context, origin)
  return { page: await context.newPage(), seen }
}

/** Elements and attributes of the displayed story that are not on the allowlist. A paragraph of the story is `marker`. */
export function disallowedInStory(page: Page, marker: string): Promise<string[]> {
  return page.getByText(marker, { exact: true }).evaluate((first) => {
    const allowed = new Set('P BR H2 H3 STRONG EM U S BLOCKQUOTE UL OL LI A'.split(' '))
    const elements = [...(first.closest('section')?.querySelectorAll(':scope > div *') ?? [])]
    return elements.flatMap((element) => {
      if (!allowed.has(element.nodeName)) return [element.outerHTML]
      const disallowed = [...element.attributes].filter(
        ({ name, value }) =>
          !(
            element.nodeName === 'A' &&
            (name === 'rel' || (name === 'href' && /^(?:https?:\/\/|mailto:)/iu.test(value)))
          ),
      )
      return disallowed.map(({ name, value }) => `${element.nodeName} ${name}=${value}`)
    })
  })
}

/**
 * Counts how many of the vectors run when a page shows them unsanitised, each in its own frame. The page's policy allows
 * scripts and only blocks the network.
 */
export async function runUnsanitised(context: BrowserContext): Promise<number> {
  const page = await context.newPage()
  const policy = "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'"
  await page.route('**/*', (route) =>
    route.fulfill({
      contentType: 'text/html',
      headers: { 'Content-Security-Policy': policy },
      body: '<!doctype html><title>Control</title>',
    }),
  )
  await page.goto('http://control.test/')
  let ran = 0
  for (let start = 0; start < VECTORS.length; start += 100) {
    ran += await page.evaluate(
      async (vectors) => {
        const found = new Set<number>()
        Object.assign(globalThis, { found })
        const loaded = vectors.map((vector, index) => {
          const frame = document.createElement('iframe')
          // Without the sandbox a vector could navigate the whole page away.
          frame.setAttribute('sandbox', 'allow-scripts allow-same-origin')
          frame.srcdoc = `<script>alert=confirm=prompt=()=>parent.found.add(${index})</script>${vector}`
          return new Promise<void>((resolve) => {
            frame.addEventListener('load', () => resolve(), { once: true })
            document.body.append(frame)
          })
        })
        await Promise.all(loaded)
        document.body.replaceChildren()
        return found.size
      },
      VECTORS.slice(start, start + 100),
    )
  }
  await page.close()
  return ran
}
