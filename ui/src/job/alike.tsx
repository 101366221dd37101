import { Text } from "@mantine/core";
import { queryOptions, useQuery } from "@tanstack/react-query";

import { api } from "../api/client";
import { answered } from "../api/refused";
import { JobsLink } from "../jobs/jobs-link";
import { JOB } from "./queries";

/** Whether other jobs failed like this one, and the way to them. Failures alike have one fingerprint. */
export function Alike({ fingerprint }: { fingerprint: string }) {
  const { data } = useQuery(jobsAlike(fingerprint));
  if (!data) return null;
  if (data.number <= 1 && !data.more) {
    return (
      <Text size="sm" c="dimmed">
        No other job here failed like this.
      </Text>
    );
  }
  return (
    <Text size="sm">
      Did it happen before?{" "}
      <JobsLink className="anchor" search={{ fingerprint: [fingerprint] }}>
        {data.text} jobs failed like this
      </JobsLink>
      , this one included, at any time.
    </Text>
  );
}

/** What the API takes: an event may have anything in its place. */
const FINGERPRINT = /^v\d+:[0-9a-f]+$/;

/** How many jobs failed with a fingerprint, at any time; it is counted up to a limit. */
function jobsAlike(fingerprint: string) {
  return queryOptions({
    queryKey: [JOB, "alike", fingerprint],
    enabled: FINGERPRINT.test(fingerprint),
    queryFn: async ({ signal }) => {
      const query = { fingerprint: [fingerprint], limit: 1, count: true };
      return answered(await api.GET("/api/v1/jobs", { params: { query }, signal })).count;
    },
  });
}
