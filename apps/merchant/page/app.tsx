import {
  ActionIcon,
  Alert,
  AppShell,
  Badge,
  Burger,
  Button,
  Group,
  Loader,
  NavLink,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  IconBolt,
  IconFileSpreadsheet,
  IconHelpCircle,
  IconMoon,
  IconPackage,
  IconSun,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Component, lazy, type PropsWithChildren, Suspense, useEffect } from 'react';
import { Link, Route, Switch, useLocation } from 'wouter';
import { describeError, statusQuery } from './api.ts';
import { MissingView } from './errors.tsx';
import { useEventStream } from './event-stream.ts';
import { HeldAlert, ServiceAlert, ServiceBadge } from './service-status.tsx';

const OrdersPage = lazy(async () => ({ default: (await import('./orders/orders-page.tsx')).OrdersPage }));
const OrderPage = lazy(async () => ({ default: (await import('./editor/order-page.tsx')).OrderPage }));
const ReviewPage = lazy(async () => ({ default: (await import('./review/review-page.tsx')).ReviewPage }));
const BulkListPage = lazy(async () => ({
  default: (await import('./bulk/bulk-list-page.tsx')).BulkListPage,
}));
const BulkPage = lazy(async () => ({ default: (await import('./bulk/bulk-page.tsx')).BulkPage }));
const FaultInjectionPage = lazy(async () => ({
  default: (await import('./fault-injection/fault-injection-page.tsx')).FaultInjectionPage,
}));

/** The frame around all views. */
export function App() {
  const isConnected = useEventStream();
  const { data: status, error } = useQuery(statusQuery);
  const [isOpen, { toggle, close }] = useDisclosure();
  const [path] = useLocation();
  // A view that was chosen with the keyboard is read from its start.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the path changes
  useEffect(() => {
    close();
    window.scrollTo(0, 0);
  }, [path]);
  const waiting =
    (status?.updates.needsReview ?? 0) + (status?.updates.rejected ?? 0) + (status?.webhooks.length ?? 0);
  const views = [
    { href: '/', label: 'Orders', icon: IconPackage, isOpen: path === '/' || path.startsWith('/orders/') },
    { href: '/review', label: 'Needs review', icon: IconHelpCircle, count: waiting },
    { href: '/bulk', label: 'Bulk files', icon: IconFileSpreadsheet, isOpen: path.startsWith('/bulk') },
    ...(status?.faultInjection
      ? [{ href: '/fault-injection', label: 'Fault injection', icon: IconBolt }]
      : []),
  ];
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding="md"
    >
      <AppShell.Header>
        <Group h="100%" px="md" gap="sm" wrap="nowrap">
          <Burger
            opened={isOpen}
            onClick={toggle}
            hiddenFrom="sm"
            size="sm"
            aria-label="Menu"
            aria-expanded={isOpen}
          />
          <Text fw={700} style={{ whiteSpace: 'nowrap' }}>
            Merchant app
          </Text>
          <Group ml="auto" gap="sm" wrap="nowrap">
            {status && !error && <ServiceBadge status={status} />}
            <ColorSchemeButton />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label="Views" className="views" data-closed={isOpen ? undefined : true}>
        {views.map(({ href, label, icon: Icon, isOpen = path === href, count = 0 }) => (
          <NavLink
            key={href}
            component={Link}
            href={href}
            label={label}
            active={isOpen}
            aria-current={isOpen ? 'page' : undefined}
            leftSection={<Icon size={18} aria-hidden />}
            rightSection={count > 0 && <Badge circle={count < 10}>{count}</Badge>}
          />
        ))}
      </AppShell.Navbar>
      <AppShell.Main>
        {!isConnected && (
          <Alert color="orange" mb="md" role="alert" title="Connection lost">
            The server of this app cannot be reached. What you see may be out of date. Reconnecting…
          </Alert>
        )}
        {isConnected && error && (
          <Alert color="red" mb="md" role="alert" title="The state of updates cannot be read">
            {describeError(error).message} What you see may be out of date.
          </Alert>
        )}
        {status && !error && <ServiceAlert status={status} />}
        {status && !error && <HeldAlert status={status} />}
        <ViewBoundary key={path}>
          <Suspense fallback={<Loader aria-label="Loading" />}>
            <Switch>
              <Route path="/" component={OrdersPage} />
              <Route path="/orders/:token">{({ token }) => <OrderPage key={token} token={token} />}</Route>
              <Route path="/review" component={ReviewPage} />
              <Route path="/bulk" component={BulkListPage} />
              <Route path="/bulk/:id">{({ id }) => <BulkPage key={id} id={id} />}</Route>
              <Route path="/fault-injection" component={FaultInjectionPage} />
              <Route>
                <MissingView what="Page" href="/" link="All orders" />
              </Route>
            </Switch>
          </Suspense>
        </ViewBoundary>
      </AppShell.Main>
    </AppShell>
  );
}

/** Says so where a view fails, as one does whose files went with an older version of the app. */
class ViewBoundary extends Component<PropsWithChildren, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError = () => ({ hasFailed: true });

  override render() {
    if (!this.state.hasFailed) return this.props.children;
    return (
      <Alert color="red" role="alert" title="This view cannot be shown">
        <Button onClick={() => location.reload()}>Reload</Button>
      </Alert>
    );
  }
}

function ColorSchemeButton() {
  const { setColorScheme } = useMantineColorScheme();
  const other = useComputedColorScheme('light') === 'dark' ? 'light' : 'dark';
  return (
    <ActionIcon
      variant="default"
      size="lg"
      aria-label={`Use ${other} colors`}
      onClick={() => setColorScheme(other)}
    >
      {other === 'dark' ? <IconMoon size={18} /> : <IconSun size={18} />}
    </ActionIcon>
  );
}
