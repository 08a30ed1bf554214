import { useSyncExternalStore, createContext, useContext } from 'react'
import { ERROR_STATUS, type ErrorCode } from '#shared/errors.ts'
import type { Problem } from '#client/lib/use-form.ts'

const subscribe = () => () => undefined

/**
 * False while the page shows the server's HTML: the server doesn't know this browser's clock, time zone and storage,
 * and the first render must match it. True afterwards, and from the start on pages rendered in the browser.
 */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => true,
    () => false,
  )
}

/** True in data saver mode: few images; and no script on pages that the server renders. */
export const DataSaverContext = createContext(false)

/** True in data saver mode: images load only when asked for. */
export function useDataSaver(): boolean {
  return useContext(DataSaverContext)
}

/**
 * True on a page that the server has written for its viewer: it shows what they may do, and keeps its script in data saver mode,
 * because adding to a memorial needs it.
 */
export const ForViewerContext = createContext(false)

/** True if the page must work without a script, because the server rendered it for data saver mode. */
export function useWithoutScript(): boolean {
  const isHydrated = useHydrated()
  const keepsScript = useContext(ForViewerContext)
  return useDataSaver() && !keepsScript && !isHydrated
}

/** The origin of this site, `https://…` without a slash, during server rendering; null in a browser. */
export const OriginContext = createContext<string | null>(null)

/** The origin of this site, without a trailing slash. */
export function useOwnOrigin(): string {
  return useContext(OriginContext) ?? window.location.origin
}

/** Collects a server-rendered page's placeholders in a style sheet: the CSP's `style-src` forbids style attributes. */
type PlaceholderSheet = {
  /** Adds a placeholder (a data URI) and returns the class name that shows it. */
  add: (placeholder: string) => string
}

/** Null where a script renders the page and may set styles. */
export const PlaceholderContext = createContext<PlaceholderSheet | null>(null)

/** The sheet of the page being rendered, or null in a browser. */
export function usePlaceholderSheet(): PlaceholderSheet | null {
  return useContext(PlaceholderContext)
}

/** A form that a browser without script has sent and the server refused. */
export type PostedForm = {
  /** The form's name in `useForm`. */
  name: string
  /** What was typed, by field, without passwords. */
  values: Record<string, string>
  code: ErrorCode
  problem: Problem
}

export const PostedFormContext = createContext<PostedForm | null>(null)

/** The refused form of this name that this page answers, or null. */
export function usePostedForm(name: string): PostedForm | null {
  const posted = useContext(PostedFormContext)
  return posted?.name === name ? posted : null
}

/** True if this refusal says that the link of the page no longer works. */
export function isLinkOver({ code }: PostedForm): boolean {
  return ERROR_STATUS[code] === 410
}

/** Collects the title of a server-rendered document; null in a browser. */
export const DocumentTitleContext = createContext<{ title: string | null } | null>(null)
