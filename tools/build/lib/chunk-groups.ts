import type { Rolldown } from 'vite'

/** What the small scripts of written documents load, and Vite's own helpers. */
const BASE = 'base'
const LIBRARIES = 'libraries'
/** What a small script loads, without the app, when somebody chooses a photo. */
const SHRINK = 'shrink-photo'
/** What the app's document needs, and the forms of visitors. */
const APP = 'app'
/** What areas share that have no chunk together: memorials with others, and the others among themselves. */
const COMMON = 'common'
const OTHERS = 'others'

/** The pages that people use together. Any other page loads alone. */
const PAGES: Readonly<Record<string, readonly string[]>> = {
  accounts: [
    'login',
    'register',
    'verify-email',
    'forgot-password',
    'reset-password',
    'contact',
    'request-removal',
  ],
  landing: ['home'],
  texts: ['faq', 'about', 'terms', 'privacy'],
  memorial: ['public-memorial'],
  words: ['visitor-words'],
  replies: ['replies', 'reply', 'again', 'follow', 'follow-mail'],
  personal: ['memorial', 'invite'],
  owner: ['dashboard', 'plaque'],
  payment: ['checkout', 'pay', 'gift', 'redeem'],
  wizard: ['wizard'],
  admin: ['admin'],
}

/** Areas of memorials, and what loads on them later. */
const ON_MEMORIALS = [
  'memorial',
  'words',
  'replies',
  'personal',
  'media',
  'comments',
  'invites',
  'memorials',
  'pages',
]

/**
 * Chunks of modules that only screens of these areas need, and that only these folders of lazily loaded modules use as well. The
 * first that fits takes the module.
 */
const CHUNKS: readonly { name: string; areas: readonly string[]; later?: readonly string[] }[] = [
  { name: 'account-screens', areas: ['accounts'] },
  { name: 'landing', areas: ['landing'] },
  { name: 'text-screens', areas: ['texts'] },
  { name: 'visitor-words', areas: ['words'] },
  { name: 'reply-screens', areas: ['replies'] },
  { name: 'owner-screens', areas: ['owner'], later: ['payments'] },
  { name: 'checkout', areas: ['payment'], later: ['payments'] },
  { name: 'credit', areas: ['owner', 'payment'], later: ['payments'] },
  { name: 'wizard', areas: ['wizard'] },
  { name: 'admin', areas: ['admin'] },
  { name: 'personal-screens', areas: ['personal'], later: ['memorials', 'invites'] },
  {
    name: 'sharing',
    areas: ['personal', 'owner'],
    later: ['memorials', 'invites', 'pages', 'payments', 'gifts'],
  },
  { name: 'memorial-screens', areas: ['memorial', 'replies', 'personal'], later: ON_MEMORIALS },
  { name: 'media', areas: ['wizard', 'personal'], later: ['media', 'upload', 'ui'] },
]

type GetModule = Rolldown.ChunkingContext['getModuleInfo']

/** A chunk takes what its modules import along, so each stands behind those that it may import. */
const ORDER = [BASE, SHRINK, LIBRARIES, APP, COMMON, OTHERS, 'media', 'sharing', 'memorial-screens', 'credit']
const NAMES = [...new Set([...ORDER, ...CHUNKS.map(({ name }) => name)])]

/**
 * Groups the client's modules, so that a screen loads in few files: by the documents and lazily loaded modules that need them. A
 * new document needs no new group. Other modules load on a press, and the bundler finds their chunks.
 */
export function chunkGroups(): Rolldown.CodeSplittingGroup[] {
  const found = new Map<string, string | null>()
  return NAMES.map((name, index) => ({
    debugName: name,
    priority: NAMES.length - index,
    name(id, context) {
      const chunk = found.get(id) ?? chunkOf(id, (one) => context.getModuleInfo(one))
      found.set(id, chunk)
      return chunk === name ? name : null
    },
  }))
}

function chunkOf(id: string, getModule: GetModule): string | null {
  if (HELPER.test(id)) return BASE
  // A script of a document runs as soon as it is loaded, so nothing else may be in its file.
  if (id.endsWith('.html') || getModule(id)?.importers.some((one) => one.endsWith('.html'))) return null
  if (id.endsWith(`/${SHRINK}.ts`)) return SHRINK
  const entries = entriesOf(id, getModule)
  const documents = entries.filter((entry) => entry.endsWith('.html'))
  const isInApp = documents.some((document) => document.endsWith('/index.html'))
  const isInSmallScript = documents.length > (isInApp ? 1 : 0)
  if (isInSmallScript) return entries.length > 1 ? BASE : null
  if (isInApp) return id.includes('/node_modules/') ? LIBRARIES : APP
  const screens = entries.filter(isScreen).map(areaOf)
  if (screens.length === 0) return null
  // A module that one screen brings and another loads later comes with the first.
  const used = entries
    .filter((entry) => isScreen(entry) || !entriesOf(entry, getModule).some(isScreen))
    .map(areaOf)
  const chunk = CHUNKS.find(
    ({ areas, later = [] }) =>
      screens.every((area) => areas.includes(area)) &&
      used.every((area) => areas.includes(area) || later.includes(area)),
  )
  if (chunk) return chunk.name
  if (screens.includes('accounts')) return APP
  return used.some((area) => ON_MEMORIALS.includes(area)) ? COMMON : OTHERS
}

/** The documents, and the modules that `import()` loads, from which this module is imported. */
function entriesOf(id: string, getModule: GetModule): string[] {
  const seen = new Set<string>()
  const pending = [id]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (seen.has(next)) continue
    seen.add(next)
    pending.push(...(getModule(next)?.importers ?? []))
  }
  return [...seen].filter((one) => {
    const found = getModule(one)
    return found !== null && (found.isEntry || found.dynamicImporters.length > 0)
  })
}

/** Modules that Vite adds. */
const HELPER = /^\0vite\//u
const PAGE = /\/src\/client\/pages\/(?:[\w-]+\/)?([\w-]+)\.tsx$/u
const HYDRATE = /\/src\/client\/public-page\/hydrate-([\w-]+)\.tsx$/u
const FOLDER = /\/([\w-]+)\/[^/]+$/u
const NOUN = /\/features\/([\w-]+)\//u

/** The screens that `hydrate-….tsx` hydrates, if it isn't named as their area is. */
const AREA_OF_HYDRATED: Readonly<Record<string, string>> = { app: 'memorial', screen: 'accounts' }

function isScreen(entry: string): boolean {
  return HYDRATE.test(entry) || (PAGE.test(entry) && areaOf(entry) in PAGES)
}

/** The area of a screen; of anything else its noun or folder. */
function areaOf(entry: string): string {
  const hydrated = HYDRATE.exec(entry)?.[1]
  if (hydrated !== undefined) return AREA_OF_HYDRATED[hydrated] ?? hydrated
  const page = PAGE.exec(entry)?.[1]
  if (page === undefined) return (NOUN.exec(entry) ?? FOLDER.exec(entry))?.[1] ?? entry
  return Object.keys(PAGES).find((name) => PAGES[name]?.includes(page)) ?? 'pages'
}
