import { readFileSync } from 'node:fs'
import type { Reply } from './http.ts'

/** Files for the browser, by path: [file in `stripe-js/`, content type]. */
const ASSETS: Record<string, [file: string, type: string]> = {
  '/v3/': ['stripe.js', 'text/javascript'],
  '/v3': ['stripe.js', 'text/javascript'],
  '/stripe.js': ['stripe.js', 'text/javascript'],
  '/v3/card-frame': ['card-frame.html', 'text/html'],
  '/v3/card-frame.js': ['card-frame.js', 'text/javascript'],
  '/v3/card-fields.js': ['card-fields.js', 'text/javascript'],
  '/v3/card-frame.css': ['card-frame.css', 'text/css'],
  '/v3/three-d-secure': ['three-d-secure.html', 'text/html'],
  '/v3/three-d-secure.js': ['three-d-secure.js', 'text/javascript'],
  '/v3/three-d-secure.css': ['three-d-secure.css', 'text/css'],
}

/** The file for this path, or null. It is read each time, so that a reload shows an edit. */
export function readAsset(path: string): Reply | null {
  const asset = Object.hasOwn(ASSETS, path) ? ASSETS[path] : undefined
  if (!asset) return null
  const [file, type] = asset
  return {
    status: 200,
    headers: {
      'content-type': `${type}; charset=utf-8`,
      'cache-control': 'no-cache',
      // The page that loads the script is on another origin.
      'cross-origin-resource-policy': 'cross-origin',
    },
    body: readFileSync(new URL(`stripe-js/${file}`, import.meta.url), 'utf8'),
  }
}
