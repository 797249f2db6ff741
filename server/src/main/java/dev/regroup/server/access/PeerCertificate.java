package dev.regroup.server.access;

import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;

/** Who a client certificate names: its common name is the user, its organisations the groups. */
public record PeerCertificate(String user, List<String> groups) {

  public PeerCertificate {
    groups = List.copyOf(groups);
  }

  public static Optional<PeerCertificate> of(X509Certificate certificate) {
    try {
      var user = "";
      var groups = new ArrayList<String>();
      for (var part : new LdapName(certificate.getSubjectX500Principal().getName()).getRdns()) {
        switch (part.getType()) {
          case "CN" -> user = part.getValue().toString();
          case "O" -> groups.addFirst(part.getValue().toString());
          default -> {} // other parts name nobody
        }
      }
      return user.isEmpty() ? Optional.empty() : Optional.of(new PeerCertificate(user, groups));
    } catch (InvalidNameException e) {
      return Optional.empty();
    }
  }
}
