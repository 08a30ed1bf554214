import { createContext } from 'react'

/** The invitation through which the images of a written page load. */
type PageLink = { memorialId: string; token: string }

/** Null where the app has made the page. */
export const PageLinkContext = createContext<PageLink | null>(null)
