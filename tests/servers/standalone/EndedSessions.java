import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/**
 * {@code EndedSessions FOLDER}: removes from a metadata store in RocksDB, and names, what was there for as long as its broker's
 * session lasted. Nothing may have the store open.
 *
 * <p>A killed broker leaves such nodes behind. The next one deletes them on sight, by path alone and some time later, and so may
 * hit what its bookie has just registered anew. The bookie then takes its lock for invalid, deletes it and registers once more, and
 * has notice of that deletion too: round and round, hundreds of times a second, for good (RocksdbMetadataStore.storeGet,
 * ResourceLockImpl.revalidate and BookieServiceInfo, which has no equals, in Pulsar 4.0).
 */
final class EndedSessions {
    /** Before it, the size of the head and the format's version; then version, owner, created and modified (MetaValue.serialize). */
    private static final int EPHEMERAL = 4 + 4 + 8 + 8 + 8 + 8;

    private EndedSessions() {
    }

    public static void main(String[] folders) throws RocksDBException {
        RocksDB.loadLibrary();
        for (String folder : List.of(folders)) {
            try (Options options = new Options(); RocksDB store = RocksDB.open(options, folder)) {
                removeEphemeral(store);
            }
        }
    }

    private static void removeEphemeral(RocksDB store) throws RocksDBException {
        try (RocksIterator each = store.newIterator()) {
            for (each.seek(new byte[] {'/'}); each.isValid() && each.key()[0] == '/'; each.next()) {
                if (ByteBuffer.wrap(each.value()).get(EPHEMERAL) > 0) {
                    System.out.println("of an ended session: " + new String(each.key(), StandardCharsets.UTF_8));
                    store.delete(each.key());
                }
            }
            each.status();
        }
    }
}
