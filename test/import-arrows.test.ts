import { expect, test } from 'vitest'
import { importProblems } from '../tools/build/lib/import-arrows.ts'

const problems = (files: Record<string, string>) =>
  importProblems(Object.keys(files), (path) => files[path] ?? '')

test('a folder may import from the layers below it', () => {
  expect(
    problems({
      'src/worker/api.ts': "import { postComment } from '#worker/features/comments/comments.ts'",
      'src/worker/features/comments/comments.ts': "import { comments } from '../../schema/comments.table.ts'",
      'src/worker/schema/comments.table.ts': "import { text } from 'drizzle-orm/sqlite-core'",
    }),
  ).toEqual([])
})

test('an import from a higher layer is a problem, type imports included', () => {
  expect(
    problems({ 'src/worker/platform/db.ts': "import type { Guard } from '#worker/access/guards.ts'" }),
  ).toEqual(['src/worker/platform/db.ts imports src/worker/access/guards.ts, which is in a higher layer'])
})

test('two features that import each other are a problem', () => {
  expect(
    problems({
      'src/worker/features/media/media.ts': "import { a } from '#worker/features/quota/quota.ts'",
      'src/worker/features/quota/quota.ts': "import { b } from '#worker/features/media/media.ts'",
    }),
  ).toEqual(['these folders import each other in a circle: media, quota'])
})
