import { cloudflare } from '@cloudflare/vite-plugin'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { criticalStyle } from './scripts/lib/critical-style.ts'
import { cssTypes } from './scripts/lib/css-types.ts'
import { documentHead } from './scripts/lib/document-head.ts'
import { publishedFiles } from './scripts/lib/published-files.ts'
import { serviceWorker } from './scripts/lib/service-worker-build.ts'

export default defineConfig({
  plugins: [
    react(),
    cloudflare(),
    cssTypes(),
    documentHead(),
    criticalStyle(),
    serviceWorker(),
    publishedFiles(),
  ],
  environments: {
    client: {
      // The app's document, and those of a public memorial and of the landing page, which the Worker fills.
      build: { rollupOptions: { input: ['index.html', 'memorial.html', 'home.html'] } },
    },
  },
})
