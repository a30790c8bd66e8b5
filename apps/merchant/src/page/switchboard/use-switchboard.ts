import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { SwitchboardSetting, SwitchboardView } from '../../contract/switchboard-view.ts';
import { fetchSwitchboard, setSwitchboard } from '../api/switchboard.ts';
import { useDeskMessages } from '../live/use-desk-messages.ts';

const queryKey = ['switchboard'];

/** How the switchboard is set, kept up to date by the desk's events, and the way to set it. */
export function useSwitchboard() {
  const client = useQueryClient();
  const { data, isError, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) => fetchSwitchboard(signal),
  });
  const [wish, setWish] = useState<SwitchboardSetting>();
  const { mutate, error } = useMutation({
    mutationFn: setSwitchboard,
    onSuccess: (view) => client.setQueryData<SwitchboardView>(queryKey, view),
    onSettled: (_, __, asked) => setWish((before) => (before === asked ? undefined : before)),
  });

  useDeskMessages((message) => {
    if (message.type === 'passing' && message.event.kind === 'switchboard_changed')
      client.setQueryData<SwitchboardView>(queryKey, message.event.switchboard);
  });

  return {
    view: data,
    /** What it is to be set to, until that holds: an outage takes a moment to end. */
    wish,
    isError,
    refetch,
    set(setting: SwitchboardSetting) {
      setWish(setting);
      mutate(setting);
    },
    problem: error,
  };
}
