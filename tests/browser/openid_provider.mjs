// A real provider of OpenID Connect (npm: oidc-provider). Whoever logs in as "name" has the address name@example.org.
// node openid_provider.mjs <its own address> <the client's redirect address>
import Provider from "oidc-provider";

const [issuer, redirect] = process.argv.slice(2);
const provider = new Provider(issuer, {
  clients: [{ client_id: "qrelsmith", client_secret: "not-a-secret", redirect_uris: [redirect] }],
  claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name", "preferred_username"] },
  findAccount: (_, id) => ({
    accountId: id,
    claims: () => ({
      sub: id,
      name: `${id} of the provider`,
      preferred_username: id,
      email: `${id}@example.org`,
      email_verified: true,
    }),
  }),
});
provider.listen(Number(new URL(issuer).port), "127.0.0.1", () => console.log("ready"));
