import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chromium } from '@playwright/test'

const CANDIDATES = [
  process.env['CHROMIUM_PATH'],
  // Without a window manager's parts: a sixth less CPU time than Chromium in headless mode.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** Flags for a browser that connects only to this machine. */
export const BROWSER_ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Path of an installed browser, or null. */
export function findBrowser(): string | null {
  const own = chromium.executablePath()
  return [...CANDIDATES, own].find((path) => path && existsSync(path)) ?? null
}

/**
 * Path of a browser. If there is none, installs one: Debian's package (as root on Debian), or else Playwright's download. Throws
 * an Error that says what to do by hand if that fails.
 */
export function requireBrowser(): string {
  const found = findBrowser()
  if (found) return found
  console.error('No browser found; installing one …')
  const isDebianRoot = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')
  const attempts: [string, string[]][] = isDebianRoot
    ? [
        ['apt-get', ['update', '-qq']],
        ['apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium-headless-shell']],
        ['apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium']],
        ['npx', ['playwright', 'install', 'chromium']],
      ]
    : [['npx', ['playwright', 'install', 'chromium']]]
  for (const [program, args] of attempts) {
    spawnSync(program, args, {
      stdio: ['ignore', process.stderr, process.stderr],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    })
    const installed = findBrowser()
    if (installed) return installed
  }
  throw new Error('Install Chromium (Debian: apt-get install chromium) or set CHROMIUM_PATH, then try again.')
}
