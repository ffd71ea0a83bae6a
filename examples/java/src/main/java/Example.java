import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.JedisPooled;
import redis.clients.jedis.Response;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.commands.ProtocolCommand;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.params.ScanParams;
import redis.clients.jedis.resps.ScanResult;
import redis.clients.jedis.util.SafeEncoder;

/** What KEYNS does, from Java with Jedis. */
public final class Example {
  /** Only this key is wanted by all runs, in whatever language. */
  private static final String LOCK = "lock:example:report";
  private static final String MARKDOWN =
      "# Risk\n\nMeasure it first.\n\n## Methods\n\n- History\n- Simulation\n";

  private static final String RUN =
      HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextInt());
  /** All keys of a run are below a scope of its own, whose braces keep it in one slot of a cluster. */
  private static final String SCOPE = "{example_" + RUN + "}";

  // The tree is drawn with characters that not every default charset has.
  private static final PrintStream OUT =
      new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);

  /** The commands that are used here, as Jedis wants them. */
  private enum Keyns implements ProtocolCommand {
    SLUG, MAKE, INGESTMD, TREE, NAV, EXPORTMD, DROP, RATE, NS_SET, NS_DEL, KEY, CHECK, LOCK, UNLOCK,
    ADVANCE;

    private final byte[] raw = SafeEncoder.encode("KEYNS." + name().replace('_', '.'));

    @Override
    public byte[] getRaw() {
      return raw;
    }
  }

  private static void naming(UnifiedJedis r) {
    say("== Naming");
    String title = "5 Strategies for Risk Management";
    say("%s: %s", title, call(r, Keyns.SLUG, title, "LANG", "en", "SHORTEN", "WORD"));
    // However many ask at once, no name is given twice.
    for (int i = 0; i < 2; i++) {
      say("Über uns: %s", call(r, Keyns.MAKE, SCOPE + ":page", "Über uns"));
    }
  }

  private static void document(UnifiedJedis r) {
    say("== Document");
    Map<String, Object> written =
        fields(call(r, Keyns.INGESTMD, SCOPE + ":doc", MARKDOWN, "TITLE", "Risk Handbook"));
    String doc = (String) written.get("doc");
    say("%s: %d chunks, %d keys", doc, written.get("chunks"), written.get("keys"));
    say("%s", call(r, Keyns.TREE, doc, "FORMAT", "TEXT").toString().stripTrailing());
    String chapter = (String) list(call(r, Keyns.NAV, doc, "CHILDREN")).get(0);
    String chunk = (String) call(r, Keyns.NAV, chapter, "NEXT");
    say("after %s comes %s: %s", chapter, chunk, r.hget(chunk, "text").stripTrailing());
    say("exported as it was: %s", call(r, Keyns.EXPORTMD, doc).equals(MARKDOWN) ? "yes" : "no");
    say("dropped: %d keys", call(r, Keyns.DROP, doc));
  }

  private static void rateLimit(UnifiedJedis r) throws InterruptedException {
    say("== Rate limit");
    // Two at once, and one more every half second.
    String[] request = {SCOPE + ":rate:api", "BUCKET", "2", "2", "1s"};
    List<Response<Object>> replies;
    try (AbstractPipeline together = r.pipelined()) {
      replies = List.of(
          together.sendCommand(Keyns.RATE, request),
          together.sendCommand(Keyns.RATE, request),
          together.sendCommand(Keyns.RATE, request));
    }
    // allowed, limit, remaining, retry_after_ms, reset_after_ms, binding
    List<?> ruling = List.of();
    for (int i = 0; i < replies.size(); i++) {
      ruling = list(replies.get(i).get());
      String allowed = "allowed, " + ruling.get(2) + " left";
      say("request %d: %s", i + 1, isTrue(ruling.get(0)) ? allowed : "refused");
    }
    while (!isTrue(ruling.get(0))) {
      Thread.sleep((Long) ruling.get(3));
      ruling = list(call(r, Keyns.RATE, request));
    }
    say("request 3, after the wait it was told: allowed");
  }

  private static void namespace(UnifiedJedis r) {
    say("== Namespace");
    String name = "session_" + RUN;
    String pattern = SCOPE + ":session:<sid:hex>";
    call(r, Keyns.NS_SET, name, "PATTERN", pattern, "TTL", "1800", "TYPE", "hash");
    try {
      List<?> built = list(call(r, Keyns.KEY, name, "5f3a", "WITHTTL"));
      String key = (String) built.get(0);
      long ttl = (Long) built.get(1);
      say("%s lives for %d seconds", key, ttl);
      try {
        call(r, Keyns.KEY, name, "Ada");
      } catch (JedisDataException error) {
        say("no key: %s", error.getMessage().replaceFirst("^ERR ", ""));
      }
      r.hset(key, "user", "ada");
      check(r, key, SCOPE + ":session:5F3A");
      r.expire(key, ttl);
      check(r, key);
    } finally {
      call(r, Keyns.NS_DEL, name);
    }
  }

  private static void check(UnifiedJedis r, String... keys) {
    List<?> replies = list(call(r, Keyns.CHECK, keys));
    for (int i = 0; i < keys.length; i++) {
      Map<String, Object> found = fields(replies.get(i));
      List<String> problems = list(found.get("problems")).stream().map(String.class::cast).toList();
      String verdict = isTrue(found.get("valid")) ? "valid" : String.join(" ", problems);
      Object meant = found.get("suggestion");
      say("%s: %s%s", keys[i], verdict, meant == null ? "" : ", did you mean " + meant + "?");
    }
  }

  private static void lock(UnifiedJedis ada, UnifiedJedis bob) throws InterruptedException {
    say("== Lock");
    // An owner is a name that nobody else has.
    long first = take(ada, "ada-" + RUN);
    say("ada holds the lock");
    Object refused = call(bob, Keyns.LOCK, LOCK, "bob-" + RUN, "PX", "10000");
    say("bob %s", refused == null ? "does not get it" : "gets it too");
    call(ada, Keyns.UNLOCK, LOCK, "ada-" + RUN);
    long second = take(bob, "bob-" + RUN);
    say("bob holds it, with a %s token", second > first ? "greater" : "smaller");
    report(bob, "bob", second);
    call(bob, Keyns.UNLOCK, LOCK, "bob-" + RUN);
    // As if ada had been paused all the time and did not know that bob has been there.
    report(ada, "ada", first);
  }

  /** Waits for the lock, and gives its fencing token. Who dies loses it after ten seconds. */
  private static long take(UnifiedJedis client, String owner) throws InterruptedException {
    while (true) {
      Object token = call(client, Keyns.LOCK, LOCK, owner, "PX", "10000");
      if (token != null) {
        return (Long) token;
      }
      Thread.sleep(ThreadLocalRandom.current().nextInt(10, 50));
    }
  }

  /** Writes, unless somebody has written with a greater token. */
  private static void report(UnifiedJedis client, String writer, long token) {
    Object reply = call(client, Keyns.ADVANCE, SCOPE + ":report:token", Long.toString(token));
    boolean written = isTrue(list(reply).get(0));
    say("report of %s: %s", writer, written ? "written" : "refused, it is late");
  }

  private static void cleanUp(UnifiedJedis r) {
    ScanParams params = new ScanParams().match(SCOPE + ":*").count(1000);
    String cursor = ScanParams.SCAN_POINTER_START;
    do {
      ScanResult<String> some = r.scan(cursor, params);
      some.getResult().forEach(r::unlink);
      cursor = some.getCursor();
    } while (!cursor.equals(ScanParams.SCAN_POINTER_START));
  }

  /** Jedis gives bytes for text; here they become strings, also inside of lists. */
  private static Object call(UnifiedJedis r, Keyns command, String... arguments) {
    return SafeEncoder.encodeObject(r.sendCommand(command, arguments));
  }

  private static List<?> list(Object reply) {
    return (List<?>) reply;
  }

  /** A map is a flat list under RESP2, which Jedis speaks unless it is told otherwise. */
  private static Map<String, Object> fields(Object reply) {
    List<?> flat = list(reply);
    Map<String, Object> fields = new HashMap<>();
    for (int i = 0; i < flat.size(); i += 2) {
      fields.put((String) flat.get(i), flat.get(i + 1));
    }
    return fields;
  }

  private static boolean isTrue(Object reply) {
    return reply.equals(1L);
  }

  private static void say(String format, Object... values) {
    OUT.println(String.format(format, values).replace(SCOPE + ":", ""));
  }

  public static void main(String[] arguments) throws InterruptedException {
    String url = System.getenv().getOrDefault("REDIS_URL", "redis://127.0.0.1:6379");
    try (var r = new JedisPooled(URI.create(url)); var other = new JedisPooled(URI.create(url))) {
      try {
        naming(r);
        document(r);
        rateLimit(r);
        namespace(r);
        lock(r, other);
      } finally {
        cleanUp(r);
      }
    } catch (JedisConnectionException error) {
      System.err.println("Redis cannot be reached: " + error.getMessage());
      System.exit(1);
    } catch (JedisException error) {
      System.err.println("Redis says: " + error.getMessage());
      System.exit(1);
    }
  }
}
