import { api } from '#shared/api.ts'
import { messages } from '#shared/messages.ts'
import { useMediaQuery } from '#client/lib/media-query.ts'
import { useReload, useTabData } from './admin.queries.ts'
import { ListTools } from './list-tools.tsx'
import { MemorialCards, MemorialTable } from './memorial-rows.tsx'
import { PagedList } from './paged-list.tsx'
import { RowSkeletons } from './row-skeletons.tsx'
import { usePageAddress } from './use-page-address.ts'

/** Every memorial in any state: search by name, owner or slug, remove and restore. */
export function MemorialsTab() {
  const reload = useReload(api.adminMemorials)
  const { page, search, onPage, onSearch } = usePageAddress()
  const { data, isFetching } = useTabData(api.adminMemorials, { query: { page, search } })
  const isWide = useMediaQuery('(min-width: 72rem)')
  return (
    <>
      <ListTools
        label="Search memorials"
        placeholder="Search by name, owner, or email"
        search={search}
        isBusy={isFetching}
        onSearch={onSearch}
        onRefresh={reload}
      />
      {!data && <RowSkeletons label="Loading memorials" height={isWide ? '2.5rem' : '11rem'} />}
      {data && (
        <PagedList
          noun={['memorial', 'memorials']}
          page={page}
          pageSize={data.pageSize}
          total={data.total}
          hasMore={data.hasMore}
          isBusy={isFetching}
          onPage={onPage}
        >
          {data.memorials.length === 0 && <p>{messages.admin.emptyMemorials}</p>}
          {data.memorials.length > 0 &&
            (isWide ? (
              <MemorialTable memorials={data.memorials} />
            ) : (
              <MemorialCards memorials={data.memorials} />
            ))}
        </PagedList>
      )}
    </>
  )
}
