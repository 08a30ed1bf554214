/** The five tabs, by their exact names (product spec 2), and what stands for each in the address. */
export const TABS = [
  { key: 'overview', label: 'Overview' },
  { key: 'memorials', label: 'Memorials' },
  { key: 'payments', label: 'Payments' },
  { key: 'invite-tokens', label: 'Invite Tokens' },
  { key: 'system', label: 'System' },
] as const
export type Tab = (typeof TABS)[number]

/** The tab that an address names; the first for none and for an unknown one. */
export function tabOf(search: URLSearchParams): Tab {
  return TABS.find(({ key }) => key === search.get('tab')) ?? TABS[0]
}
