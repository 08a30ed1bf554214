import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from 'react-router-dom'
import { api } from '#shared/api.ts'
import { MemorialError } from '#client/features/memorials/page/memorial-error.tsx'
import { PlaqueOrder } from '#client/features/plaque/plaque-order.tsx'
import { links } from '#client/lib/links.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { Notice } from '#client/ui/notice.tsx'
import { LoadingScreen, Page, PageTitle } from '#client/ui/page.tsx'

/** `/memorial/:id/plaque`: the order sheet and files for the engraver of the plaque. */
export default function PlaquePage() {
  const { id = '' } = useParams()
  const { data, error, refetch } = useQuery(endpointQuery(api.memorial, { params: { id } }))
  if (error) return <MemorialError error={error} onRetry={() => void refetch()} />
  if (!data) return <LoadingScreen />
  const { memorial, viewer } = data
  return (
    <Page>
      <div data-print="no">
        <PageTitle documentTitle={`Plaque for ${memorial.honoureeFullName}`}>Plaque for the grave</PageTitle>
        <p>
          <Link to={links.memorial(id)}>Back to the memorial</Link>
        </p>
        {!viewer.canEdit && (
          <Notice>
            <p>Only the owner of this memorial can order its plaque.</p>
          </Notice>
        )}
        {viewer.canEdit && memorial.privacy !== 'LOCKED' && (
          <Notice kind="warning" title="This memorial is not public yet">
            <p>
              Until you make it public, people who scan the code won’t see the memorial. The QR code never
              changes: the plaque can be made now.
            </p>
          </Notice>
        )}
      </div>
      {viewer.canEdit && <PlaqueOrder memorial={memorial} />}
    </Page>
  )
}
