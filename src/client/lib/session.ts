import { queryOptions, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import type { User } from '#shared/accounts/accounts.ts'
import { api } from '#shared/api.ts'
import { ApiError, call } from '#client/lib/call.ts'
import { cameWithoutSession } from './browser/browser.ts'

const currentUserQuery = queryOptions({
  queryKey: [api.currentUser.path],
  // Don't retry after a failure when another component mounts: each retry would render the screen again.
  retryOnMount: false,
  // A document that came without a session has already answered this.
  initialData: () => (cameWithoutSession() ? null : undefined),
  /** 401 means that nobody is signed in; it isn't a failure. */
  async queryFn(): Promise<User | null> {
    try {
      return await call(api.currentUser, {})
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return null
      throw error
    }
  },
})

/** Sets who is signed in (null: nobody), where the server has said so with the page or the user has signed out. */
export function setSession(client: QueryClient, user: User | null): void {
  client.setQueryData(currentUserQuery.queryKey, user)
}

export type Session = { user: User | null; isLoading: boolean; hasFailed: boolean }

/** The signed-in user, or null; `isLoading` until the server first answers, `hasFailed` if it didn't. */
export function useSession(): Session {
  const { data, isPending, isError } = useQuery(currentUserQuery)
  return { user: data ?? null, isLoading: isPending, hasFailed: isError && !data }
}

/** Fetches the session again, after login and logout. */
export function useRefreshSession(): () => Promise<void> {
  const client = useQueryClient()
  return useCallback(() => client.refetchQueries({ queryKey: currentUserQuery.queryKey }), [client])
}

/**
 * Clears the data of the user who signs out; the header updates at once. Queries of the current screen stay, because
 * they would refetch and fail: call this again after the screen has changed.
 */
export function useClearSession(): () => void {
  const client = useQueryClient()
  return useCallback(() => {
    setSession(client, null)
    client.removeQueries({
      type: 'inactive',
      predicate: ({ queryKey }) => queryKey[0] !== api.currentUser.path,
    })
  }, [client])
}

/** First name, else the email address, else "User". */
export function greetingName(user: User): string {
  return user.firstName || user.email || 'User'
}
