import { cloudflare } from '@cloudflare/vite-plugin'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { criticalStyle } from './scripts/lib/critical-style.ts'
import { serviceWorker } from './scripts/lib/service-worker-build.ts'

export default defineConfig({
  plugins: [react(), cloudflare(), criticalStyle(), serviceWorker()],
  environments: {
    client: {
      // The app's document, and that of a public memorial, which the Worker fills.
      build: { rollupOptions: { input: ['index.html', 'memorial.html'] } },
    },
  },
})
