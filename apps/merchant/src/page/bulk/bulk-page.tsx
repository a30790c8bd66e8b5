import './mantine.css';
import './bulk.css';
import { useParams } from 'wouter';
import { BulkDetail } from './bulk-detail.tsx';
import { BulkStart } from './bulk-start.tsx';
import { useLiveBulks } from './use-live-bulks.ts';

/** Many updates from one file: where files are dropped, or the one of the address. */
export function BulkPage() {
  const { id } = useParams<{ readonly id?: string }>();
  useLiveBulks();
  return <div className="bulk">{id === undefined ? <BulkStart /> : <BulkDetail key={id} id={id} />}</div>;
}
