import { Group, Kbd, Modal, Table } from "@mantine/core";

import { KEYS } from "./keyboard";

/** Which keys do what. */
export function ShortcutList({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    // Locking would need an inline style, which the page's content security policy refuses.
    <Modal.Root opened={isOpen} onClose={onClose} lockScroll={false}>
      <Modal.Overlay />
      <Modal.Content>
        <Modal.Body>
          {/* Not the header that Mantine has: it would be another one of the page. */}
          <Group justify="space-between" mb="sm">
            <Modal.Title>Keys of this page</Modal.Title>
            <Modal.CloseButton aria-label="Close" />
          </Group>
          <Table>
            <Table.Tbody>
              {KEYS.map(([keys, what]) => (
                <Table.Tr key={keys}>
                  <Table.Th scope="row">
                    <Kbd>{keys}</Kbd>
                  </Table.Th>
                  <Table.Td>{what}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
