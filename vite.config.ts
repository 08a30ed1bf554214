import { cloudflare } from '@cloudflare/vite-plugin'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { chunkGroups } from './tools/build/lib/chunk-groups.ts'
import { contractWithoutSchemas } from './tools/build/lib/client-contract.ts'
import { commonParts, criticalStyle } from './tools/build/lib/documents.ts'
import { cssTypes } from './tools/build/lib/css-types.ts'
import { publishedFiles, serviceWorker } from './tools/build/lib/published-files.ts'

export default defineConfig({
  plugins: [
    react(),
    cloudflare(),
    cssTypes(),
    contractWithoutSchemas(),
    commonParts(),
    criticalStyle(),
    serviceWorker(),
    publishedFiles(),
  ],
  environments: {
    client: {
      // The app's document, and the documents of public memorials, the landing page and other screens, which the Worker fills in.
      build: {
        // Only Safari before 17 would need it, to load an app's files in one step less; every public page would carry it.
        modulePreload: { polyfill: false },
        rolldownOptions: {
          input: ['index.html', 'memorial.html', 'home.html', 'screen.html', 'personal.html', 'refused.html'],
          output: { codeSplitting: { groups: chunkGroups() } },
        },
      },
    },
  },
})
