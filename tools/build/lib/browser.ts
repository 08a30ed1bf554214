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

/** Debian's browser comes without fonts. The pages' stand-ins for fonts that load late need these. */
const FONTS = { package: 'fonts-liberation', folder: '/usr/share/fonts/truetype/liberation' }

/**
 * Path of a browser. If there is none, or no fonts, installs them: Debian's packages (as root on Debian), or else Playwright's
 * download. Throws an Error that says what to do by hand if that fails.
 */
export function requireBrowser(): string {
  const isDebianRoot = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')
  const found = findBrowser()
  if (found && (!isDebianRoot || existsSync(FONTS.folder))) return found
  console.error('No browser found, or no fonts for it; installing …')
  if (isDebianRoot) {
    run('apt-get', 'update', '-qq')
    install(FONTS.package)
    if (!findBrowser()) install('chromium-headless-shell')
    if (!findBrowser()) install('chromium')
  }
  if (!findBrowser()) run('npx', 'playwright', 'install', 'chromium')
  const installed = findBrowser()
  if (installed) return installed
  throw new Error('Install Chromium (Debian: apt-get install chromium) or set CHROMIUM_PATH, then try again.')
}

function install(name: string): void {
  run('apt-get', 'install', '-y', '-qq', '--no-install-recommends', name)
}

function run(program: string, ...args: string[]): void {
  spawnSync(program, args, {
    stdio: ['ignore', process.stderr, process.stderr],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
}
