import { Kbd, Modal, Table } from "@mantine/core";

import { KEYS } from "./keyboard";

/** Which keys do what. */
export function ShortcutList({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    // Locking would need an inline style, which the page's content security policy refuses.
    <Modal
      opened={isOpen}
      onClose={onClose}
      title="Keys of this page"
      lockScroll={false}
      closeButtonProps={{ "aria-label": "Close" }}
    >
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
    </Modal>
  );
}
