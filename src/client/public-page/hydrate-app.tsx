import type { PublicMemorialView } from '#shared/memorials/memorials.ts'
import PublicMemorialPage from '#client/pages/memorial/public-memorial.tsx'
import { hydrateWritten } from './hydrate-written.tsx'
import { noteForms } from './keep-forms.ts'
import { pageClient, type Config } from './page-client.ts'

/** Hydrates the page of a public memorial. The page may be some minutes older than `view`. */
export function hydrateApp(root: HTMLElement, view: PublicMemorialView, config: Config): Promise<void> {
  return hydrateWritten(root, {
    queryClient: pageClient(view, config),
    name: 'PublicMemorial',
    Shown: PublicMemorialPage,
    onHydrated: noteForms(root),
  })
}
