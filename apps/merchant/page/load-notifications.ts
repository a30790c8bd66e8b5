// A module of its own: the store of the package, which every view imports, would bring the components along.
export { Notifications } from '@mantine/notifications';
