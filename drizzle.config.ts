import { defineConfig } from 'drizzle-kit'

export default defineConfig({
  dialect: 'sqlite',
  schema: ['./src/worker/features/*/*.table.ts', './src/worker/platform/*.table.ts'],
  out: './migrations',
})
