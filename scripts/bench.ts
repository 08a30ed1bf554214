import { measureGallery } from '../bench/gallery.ts'
import { measureMemory } from '../bench/memory.ts'
import { measureRequests } from '../bench/requests.ts'
import { measureUploads } from '../bench/uploads.ts'
import { build } from './lib/build.ts'

/** `npm run bench`, `npm run bench -- uploads`, `-- memory`, `-- gallery`. */
const MEASURES = new Map([
  ['requests', measureRequests],
  ['uploads', measureUploads],
  ['memory', measureMemory],
  ['gallery', measureGallery],
])

const [wanted = 'requests'] = process.argv.slice(2)
const measure = MEASURES.get(wanted)
if (!measure) {
  console.error(`There is no bench of this name. Known: ${[...MEASURES.keys()].join(', ')}`)
  process.exit(2)
}
build()
await measure()
