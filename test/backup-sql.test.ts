import { globSync, readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { encodeForS3, signS3 } from '../scripts/lib/backup/s3-signature.ts'
import { dumpStatements, sumTables } from '../scripts/lib/backup/sql-dump.ts'
import { splitStatements } from '../scripts/lib/backup/sql-statements.ts'

const LONG = `it's ${'a long story; with "words" -- and 👵🏾 '.repeat(3000)}`
const TEXTS = [
  "O'Brien; DROP TABLE users; --",
  'two\nlines\r\nand a written \\n too',
  '/* no comment */ "quoted" `ticks`',
  'nul \0 inside',
  LONG,
]

function database(): DatabaseSync {
  const db = new DatabaseSync(':memory:', { enableForeignKeyConstraints: false })
  for (const file of globSync('migrations/*.sql').sort()) db.exec(readFileSync(file, 'utf8'))
  const insert = db.prepare(
    `INSERT INTO memorials (id, owner_id, slug, honouree_full_name, title, life_story, created_at, updated_at)
     VALUES (?, 'usr_a', ?, ?, ?, ?, 1, ?)`,
  )
  for (const [at, text] of TEXTS.entries())
    insert.run(`mem_${at}`, `slug-${at}`, text.slice(0, 90), text, text, at)
  db.exec(`CREATE TABLE odd (a REAL, b BLOB, c INTEGER, d); INSERT INTO odd VALUES
    (1.0, X'00FF', 9007199254740993, 1.5), (9e999, NULL, -1, 'x'), (0.1, X'', NULL, X'27')`)
  return db
}

/** The text in pieces of `size`. */
const inPieces = (text: string, size: number) =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size))

test.each([1, 7, 65_536])(
  'a database written as SQL and read in pieces of %i is the same database',
  async (size) => {
    const db = database()
    const dump = [...dumpStatements(db)].map((statement) => `${statement};\n`).join('')
    const again = new DatabaseSync(':memory:', { enableForeignKeyConstraints: false })
    for await (const statement of splitStatements(inPieces(dump, size))) again.exec(statement)
    const schema = 'SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name'
    expect(sumTables(again)).toEqual(sumTables(db))
    expect(again.prepare(schema).all()).toEqual(db.prepare(schema).all())
    expect(sumTables(again)['memorials']?.rows).toBe(TEXTS.length)
  },
)

test('no statement of a dump is longer than D1 takes', () => {
  const lengths = [...dumpStatements(database())].map((statement) => Buffer.byteLength(statement))
  expect(LONG.length).toBeGreaterThan(100_000)
  expect(Math.max(...lengths)).toBeLessThan(100_000)
})

test('one changed letter, and a number that became a text, change the sum of their table and of no other', () => {
  const sums = sumTables(database())
  for (const change of [
    "UPDATE memorials SET title = 'She stayed!' WHERE id = 'mem_0'",
    "UPDATE memorials SET title = NULL WHERE id = 'mem_0'",
    "UPDATE memorials SET updated_at = 'x' WHERE id = 'mem_0'",
  ]) {
    const db = database()
    db.exec(change)
    const { memorials, ...rest } = sumTables(db)
    const { memorials: before, ...restBefore } = sums
    expect(memorials?.sha256).not.toBe(before?.sha256)
    expect(rest).toEqual(restBefore)
  }
})

// The examples of https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
const KEYS = {
  accessKeyId: ['AKIA', 'IOSFODNN7EXAMPLE'].join(''),
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
}
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

test.each([
  [
    'a read of a part',
    'GET',
    '/test.txt',
    { range: 'bytes=0-9' },
    EMPTY,
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  ],
  [
    'a write',
    'PUT',
    `/${encodeForS3('test$file.text')}`,
    { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
    '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072',
    '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  ],
  [
    'a list',
    'GET',
    '/?max-keys=2&prefix=J',
    {},
    EMPTY,
    '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  ],
])('%s is signed as the AWS documentation signs it', (_, method, path, headers, bodySha256, signature) => {
  const url = new URL(`https://examplebucket.s3.amazonaws.com${path}`)
  const signed = signS3(
    { method, url, headers: { ...headers }, bodySha256 },
    KEYS,
    new Date('2013-05-24T00:00:00Z'),
  )
  expect(signed['authorization']).toContain(`Signature=${signature}`)
})
