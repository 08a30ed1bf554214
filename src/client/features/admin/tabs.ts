/** The five tabs: `key` in the URL, and the exact name on screen. */
export const TABS = [
  { key: 'overview', label: 'Overview' },
  { key: 'memorials', label: 'Memorials' },
  { key: 'payments', label: 'Payments' },
  { key: 'invite-tokens', label: 'Invite Tokens' },
  { key: 'system', label: 'System' },
] as const
export type Tab = (typeof TABS)[number]

/** The tab named in the URL; the first tab if there is none or it is unknown. */
export function tabOf(search: URLSearchParams): Tab {
  return TABS.find(({ key }) => key === search.get('tab')) ?? TABS[0]
}
